-- contract: the trigger refuses nothing. It only spells the addresses that the release before writes as this release looks them up.

-- RFC 3492: a label of a domain in ASCII, such as xn--mnchen-3ya.
CREATE OR REPLACE FUNCTION punycode(label text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    digits CONSTANT text := 'abcdefghijklmnopqrstuvwxyz0123456789';
    points CONSTANT integer[] := ARRAY(
        SELECT ascii(letter) FROM regexp_split_to_table(label, '') WITH ORDINALITY AS letters (letter, at) ORDER BY at);
    encoded text := regexp_replace(label, '[^\x01-\x7f]', '', 'g');
    basic CONSTANT integer := length(encoded);
    handled integer := basic;
    smallest integer := 128;
    next_smallest integer;
    delta integer := 0;
    bias integer := 72;
    point integer;
    rest integer;
    k integer;
    threshold integer;
BEGIN
    IF basic = length(label) THEN RETURN label; END IF;
    IF basic > 0 THEN encoded := encoded || '-'; END IF;
    WHILE handled < cardinality(points) LOOP
        next_smallest := (SELECT min(one) FROM unnest(points) AS one WHERE one >= smallest);
        delta := delta + (next_smallest - smallest) * (handled + 1);
        smallest := next_smallest;
        FOREACH point IN ARRAY points LOOP
            IF point < smallest THEN delta := delta + 1; END IF;
            CONTINUE WHEN point <> smallest;
            rest := delta;
            k := 36;
            LOOP
                threshold := least(greatest(k - bias, 1), 26);
                EXIT WHEN rest < threshold;
                encoded := encoded || substr(digits, 1 + threshold + (rest - threshold) % (36 - threshold), 1);
                rest := (rest - threshold) / (36 - threshold);
                k := k + 36;
            END LOOP;
            encoded := encoded || substr(digits, 1 + rest, 1);
            delta := CASE WHEN handled = basic THEN delta / 700 ELSE delta / 2 END;
            delta := delta + delta / (handled + 1);
            k := 0;
            WHILE delta > 455 LOOP
                delta := delta / 35;
                k := k + 36;
            END LOOP;
            bias := k + 36 * delta / (delta + 38);
            delta := 0;
            handled := handled + 1;
        END LOOP;
        delta := delta + 1;
        smallest := smallest + 1;
    END LOOP;
    RETURN 'xn--' || encoded;
END
$$;

-- One spelling of an address: lower case and NFC, the domain in ASCII without a dot at its end. `canonicalAddress` in the code is stricter about
-- what is an address, and otherwise the same.
CREATE OR REPLACE FUNCTION canonical_address(address text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT normalize(lower(split_part(address, '@', 1)), NFC) || '@' || string_agg(punycode(label), '.' ORDER BY at)
    FROM regexp_split_to_table(
        rtrim(translate(lower(normalize(split_part(address, '@', 2), NFKC)), U&'\3002', '.'), '.'), '\.'
    ) WITH ORDINALITY AS labels (label, at)
$$;

CREATE OR REPLACE FUNCTION spell_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.email := canonical_address(NEW.email);
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER spell_address BEFORE INSERT OR UPDATE OF email ON account_members
    FOR EACH ROW EXECUTE FUNCTION spell_address();

-- Members of an account whose addresses are one mailbox become one member: of those who have come, an admin before a viewer, then whom the
-- provider knows, then the oldest. The sessions and links of the others end. The audit log of the account names each of them.
DO $$
DECLARE
    member record;
    renamed integer := 0;
    merged integer := 0;
BEGIN
    FOR member IN
        SELECT * FROM (
            SELECT id, account_id, email, role, issuer, subject, canonical_address(email) AS address,
                first_value(id) OVER best_first AS kept, bool_or(email <> canonical_address(email)) OVER mailbox AS changes
            FROM account_members
            WINDOW mailbox AS (PARTITION BY account_id, canonical_address(email)),
                best_first AS (mailbox ORDER BY invited_at IS NOT NULL, role <> 'admin', subject IS NULL, created_at, id)
        ) AS spelled
        WHERE changes ORDER BY account_id, address, id = kept
    LOOP
        IF member.id <> member.kept THEN
            DELETE FROM account_members WHERE id = member.id;
            UPDATE account_members SET issuer = member.issuer, subject = member.subject
            WHERE id = member.kept AND subject IS NULL;
            merged := merged + 1;
        ELSIF member.email <> member.address THEN
            UPDATE account_members SET email = member.address WHERE id = member.id;
            renamed := renamed + 1;
        ELSE
            CONTINUE;
        END IF;
        INSERT INTO audit_entries (id, account_id, at, actor, action, subject, detail, source)
        VALUES ('aud_' || substr(member.id, 5), member.account_id, clock_timestamp(), 'operator',
            CASE WHEN member.id = member.kept THEN 'member.address_normalized' ELSE 'member.merged' END, member.kept,
            CASE WHEN member.id = member.kept THEN format('%s is now %s', member.email, member.address)
                ELSE format('%s as %s is the same mailbox as %s', member.email, member.role, member.address) END, 'migration');
    END LOOP;
    IF renamed + merged > 0 THEN
        RAISE NOTICE 'the addresses of % members were normalized; % members were merged into one with the same mailbox',
            renamed, merged;
    END IF;
END
$$;
