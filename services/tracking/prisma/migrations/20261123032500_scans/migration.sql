ALTER TABLE tracking_records
  ADD COLUMN test boolean NOT NULL DEFAULT true,
  ADD COLUMN movement text,
  ADD COLUMN scanned_at timestamptz(3);

CREATE TABLE scans (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  tracking_number text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('in_transit', 'out_for_delivery', 'delivered', 'returned', 'exception')),
  at timestamptz(3) NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (account_id, environment, tracking_number, id)
);
