/* SPDX-License-Identifier: Apache-2.0 */
sdt:::sys_enter
{
}
syscall::get*id:entry
{
}
