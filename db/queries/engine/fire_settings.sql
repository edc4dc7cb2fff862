-- Sent before joins are fired, in the same transaction. If a crash of the server takes the firing back, what ends have
-- noted is there again and it is repeated; so claims, which use the same session, need not wait for the disk. The lock
-- timeout is for deferred triggers: the function limits its own waits.
SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true)
