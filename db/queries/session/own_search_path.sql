-- Before the effects of handlers, which are the user's statements: names mean what the user, the database
-- or the URL says.
SET LOCAL search_path TO DEFAULT
