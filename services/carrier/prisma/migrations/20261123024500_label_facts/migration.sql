-- What the carrier said of a label. The defaults are the sandbox's: for rows of before, and for code of before, which runs beside it.
ALTER TABLE labels
  ADD COLUMN format text NOT NULL DEFAULT 'pdf',
  ADD COLUMN currency text NOT NULL DEFAULT 'EUR',
  ADD COLUMN amount double precision NOT NULL DEFAULT 0,
  ADD COLUMN test boolean NOT NULL DEFAULT true;
