-- How many characters of $1 count in a search.
SELECT char_length(public.folded_text($1))
