-- Whether a configuration version was made, or applied, by somebody who may apply. What was
-- there before stays what it was: its runs may be applied by themselves.
ALTER TABLE configuration_versions ADD COLUMN vetted BOOLEAN NOT NULL DEFAULT TRUE;
