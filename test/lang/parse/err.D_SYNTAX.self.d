BEGIN { self.x; self->; this->3; }
