ALTER TABLE users ADD COLUMN
    unconfirmed_email TEXT NOT NULL DEFAULT '';
