-- Who had a link mailed or made, as they were called then: the page of an invitation says so. Of older ones nobody knows.
ALTER TABLE mail_links ADD COLUMN
    created_by TEXT NOT NULL DEFAULT '';
