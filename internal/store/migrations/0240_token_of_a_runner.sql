-- The token that a runner registered with: it takes no more jobs once that is gone.
ALTER TABLE runners ADD COLUMN
    token_id TEXT NOT NULL DEFAULT '';
