# Initialises the data folder at the first start, with a role and a database for every part, then runs PostgreSQL.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # If a pod ends before this is complete, the next one starts again with an empty folder.
  data=$PGDATA
  export PGDATA="$data.unfinished"
  rm -rf "$PGDATA"
  initdb --username=postgres --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C > /dev/null
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl --silent --wait --options="-c listen_addresses='' -k /tmp" start
  for part in $PARTS; do
    eval "password=\$PASSWORD_$part"
    psql --quiet --host=/tmp --username=postgres --set=ON_ERROR_STOP=1 --set=part="$part" --set=password="$password" \
      --file="$(dirname "$0")/create-database.sql"
  done
  pg_ctl --silent --wait --mode=fast stop
  mv "$PGDATA" "$data"
  export PGDATA="$data"
fi
# Kubernetes gives the volume's group every right each time it is mounted, and PostgreSQL refuses such a folder.
chmod 0700 "$PGDATA"
exec postgres -c "listen_addresses=*" -k /tmp -c max_connections=300
