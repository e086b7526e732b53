-- What a runner says of itself, for people to read.
ALTER TABLE runners ADD COLUMN
    labels TEXT NOT NULL DEFAULT '[]';
