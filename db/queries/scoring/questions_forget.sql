-- Removes markers whose time is long over.
DELETE FROM public.scoring_questions q WHERE q.until < now() - interval '1 hour'
