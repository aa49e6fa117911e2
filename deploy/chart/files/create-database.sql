-- One part's role and database. By default every role may connect to every database: nobody reads another part's.
CREATE ROLE :"part" LOGIN PASSWORD :'password';
CREATE DATABASE :"part" OWNER :"part";
REVOKE CONNECT, TEMPORARY ON DATABASE :"part" FROM PUBLIC;
