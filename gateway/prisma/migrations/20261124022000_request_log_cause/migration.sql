-- Why a request was answered 503. The release before neither writes nor reads it.
ALTER TABLE request_log ADD COLUMN cause text COLLATE "C";
