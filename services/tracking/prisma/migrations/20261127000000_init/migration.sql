-- Text keys are compared byte by byte, as JavaScript does: COLLATE "C".
CREATE TABLE tracking_records (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  tracking_number text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('pre_transit', 'voided')),
  carrier text NOT NULL,
  label_id text COLLATE "C" NOT NULL,
  shipment_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  test boolean NOT NULL DEFAULT true,
  movement text,
  scanned_at timestamptz(3),
  PRIMARY KEY (account_id, environment, tracking_number)
);

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
