UPDATE action_aggregation SET aggregation = 1
