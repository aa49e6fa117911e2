-- Until an operator resumes it, an account's keys are refused.
ALTER TABLE accounts ADD COLUMN suspended_at timestamptz(3);
