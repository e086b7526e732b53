-- Events of what was done to very many things at once, some hundred in each row, that are
-- still to be written one by one.
CREATE TABLE untold_events (
    id TEXT PRIMARY KEY,
    events TEXT NOT NULL
);
