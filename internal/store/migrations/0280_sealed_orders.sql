-- What a bulk action was ordered with was kept as a bare hash, from which its words could be
-- guessed: it is sealed now. Of older ones, it is known that they were made, and no more.
UPDATE bulk_actions SET request_hash = '';
