#!/usr/bin/env bash
# Makes a release to upgrade to: test/trials/kubernetes/plant-release.sh FOLDER VERSION
# A clone of this checkout's commit in a new folder, in which `npm run release` prepares the version. Two planted migrations of records go with it:
# one that expands, with a trigger by which the code of both releases writes the new column, and one that fills the rows from before in batches.
# Nothing of it is committed here. Build its images with its own deploy/build-images.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=$1 version=$2

git clone --quiet . "$folder"
for modules in node_modules */node_modules services/*/node_modules; do
  [ ! -d "$modules" ] || cp -al "$modules" "$folder/$(dirname "$modules")"
done
cd "$folder"
planted=services/records/prisma/migrations/20990101000000_planted
mkdir "$planted" "${planted}_rows"
cat > "$planted/migration.sql" << END
-- release: $version
ALTER TABLE orders ADD COLUMN planted text;
CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN NEW.planted := NEW.id; RETURN NEW; END \$\$;
CREATE TRIGGER orders_planted BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION plant();
END
cat > "${planted}_rows/migration.sql" << END
-- release: $version
-- batches of orders
UPDATE orders SET planted = id WHERE ctid >= \$1 AND ctid < \$2 AND planted IS NULL
END
commit() { git add --all && git -c user.name=trial -c user.email=trial@example.com commit --quiet --no-verify --message "$1"; }
commit "Planted migrations"
npm run --silent release -- "$version"
commit "Release $version"
npm run --silent release -- "$version"
commit "The commit of $version"
