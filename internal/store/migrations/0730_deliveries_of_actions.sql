-- What was sent of a bulk action is counted on its page: all else is found by its destination.
CREATE INDEX deliveries_action ON deliveries (action_id, status) WHERE action_id <> '';
