-- Which engine a workspace is planned and applied with; empty: whichever its runners have.
ALTER TABLE workspaces ADD COLUMN
    engine TEXT NOT NULL DEFAULT '';
