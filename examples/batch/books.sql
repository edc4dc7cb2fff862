-- Three kinds of jobs: a book becomes chapters, which workers count side by side, and one summary of them.
CREATE TABLE public.books (id uuid PRIMARY KEY DEFAULT rowrunner.new_id(), title text NOT NULL UNIQUE, body text NOT NULL);
CREATE TABLE public.chapters (id uuid PRIMARY KEY DEFAULT rowrunner.new_id(), title text NOT NULL, body text NOT NULL,
                              words integer);
CREATE TABLE public.summaries (id uuid PRIMARY KEY DEFAULT rowrunner.new_id(), title text NOT NULL, words integer,
                               unread integer);

SELECT rowrunner.attach('public.books', kind => 'book', add_columns => true);
SELECT rowrunner.attach('public.chapters', kind => 'chapter', add_columns => true, joins => true);
SELECT rowrunner.attach('public.summaries', kind => 'summary', add_columns => true);
