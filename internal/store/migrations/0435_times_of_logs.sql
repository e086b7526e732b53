-- When which byte of a log came, as far as it was noted: "0:1795537561000 4096:1795537563000 ".
ALTER TABLE logs ADD COLUMN
    marks TEXT NOT NULL DEFAULT '';
