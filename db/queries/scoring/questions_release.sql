-- The questions $1 of the asker $2 got no answer that can be kept: others may ask them now.
DELETE FROM public.scoring_questions q WHERE q.key = ANY ($1::text[]) AND q.asker = $2
