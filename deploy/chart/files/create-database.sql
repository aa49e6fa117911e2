-- One part's role and database. By default every role may connect to every database: nobody reads another part's.
CREATE ROLE :"part" LOGIN PASSWORD :'password';
CREATE DATABASE :"part" OWNER :"part" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
REVOKE CONNECT, TEMPORARY ON DATABASE :"part" FROM PUBLIC;
