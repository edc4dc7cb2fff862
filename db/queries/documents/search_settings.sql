-- Sent before a search, in its transaction: the index of bigrams is used whatever the statistics say.
SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)
