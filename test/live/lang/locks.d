/* SPDX-License-Identifier: Apache-2.0 */
/* mutex_*() and rw_*() of locks in each of their states.
 * @options: -q */
BEGIN
{
	this->w = (uint64_t *)alloca(8);
	this->m = (struct mutex *)this->w;
	this->l = (rwlock_t *)this->w;
	this->s = (struct rw_semaphore *)this->w;
	this->p = (spinlock_t *)this->w;
	printf("%d %d %d %d\n", mutex_type_adaptive(this->m), mutex_type_spin(this->m), mutex_type_adaptive(this->p),
	    mutex_type_spin(this->p));

	*this->w = 0;
	printf("free: %d %d %d, %d %d %d, %d %d %d\n", mutex_owned(this->m), mutex_owner(this->m) == NULL,
	    mutex_owned(this->p), rw_read_held(this->l), rw_write_held(this->l), rw_iswriter(this->l),
	    rw_read_held(this->s), rw_write_held(this->s), rw_iswriter(this->s));
	*this->w = (uint64_t)curthread | 7;
	printf("mutex: %d %d\n", mutex_owned(this->m), mutex_owner(this->m) == curthread);
	*this->w = 6;
	printf("mutex with waiters only: %d\n", mutex_owned(this->m));
	*this->w = 1;
	printf("spin: %d %d\n", mutex_owned(this->p), mutex_owner(this->p) == NULL);
}

BEGIN
{
	this->w = (uint64_t *)alloca(8);
	this->l = (rwlock_t *)this->w;
	this->s = (struct rw_semaphore *)this->w;
	*this->w = 0xff;
	printf("rwlock, writer: %d %d %d\n", rw_read_held(this->l), rw_write_held(this->l), rw_iswriter(this->l));
	*this->w = 0x400;
	printf("rwlock, 2 readers: %d %d %d\n", rw_read_held(this->l), rw_write_held(this->l), rw_iswriter(this->l));
	*this->w = 0x300;
	printf("rwlock, reader, writer waits: %d %d %d\n", rw_read_held(this->l), rw_write_held(this->l),
	    rw_iswriter(this->l));
	*this->w = 1;
	printf("rwsem, writer: %d %d %d\n", rw_read_held(this->s), rw_write_held(this->s), rw_iswriter(this->s));
	*this->w = 0x302;
	printf("rwsem, 3 readers: %d %d %d\n", rw_read_held(this->s), rw_write_held(this->s), rw_iswriter(this->s));
	*this->w = 0x8000000000000000;
	printf("rwsem, fail bit: %d %d %d\n", rw_read_held(this->s), rw_write_held(this->s), rw_iswriter(this->s));
	*this->w = 0x101;
	printf("an address: %d %d %d\n", mutex_owned((uint64_t)this->w), rw_write_held((uint64_t)this->w),
	    rw_iswriter((uint64_t)this->w));
	exit(0);
}
