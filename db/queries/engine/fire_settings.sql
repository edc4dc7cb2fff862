-- Sent before fire_joins, in its transaction. What a crash of the server takes back is fired again, since what ends have
-- noted comes back with it; so claims, which use the same session, need not wait for the disk. The function limits its
-- own waits for locks, and this one limits those of deferred triggers, which run at the commit.
SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true)
