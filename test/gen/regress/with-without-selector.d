sdt:::sys_enter
{
}
syscall::get*id:entry
{
}
