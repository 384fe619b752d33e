-- The database of one bucket. Choose it in the editor before you run the other files, which name no database.
create database if not exists security_events
