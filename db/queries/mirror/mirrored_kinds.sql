-- The mirrored kinds, as served_kinds.sql has them, and behind that the epoch of each.
SELECT k.*, m.epoch FROM ({kinds}) k JOIN rowrunner_mirror.kinds m ON m.kind = k.id ORDER BY k.kind
