UPDATE process SET kind = NULL
