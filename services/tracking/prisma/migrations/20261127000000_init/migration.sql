-- release: 1.0.0
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
  PRIMARY KEY (account_id, environment, tracking_number)
);
