-- Where the engine of each platform is found, as JSON.
ALTER TABLE engine_versions ADD COLUMN archs TEXT NOT NULL DEFAULT '';
