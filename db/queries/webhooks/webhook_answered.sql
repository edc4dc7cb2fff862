-- What the receiver of delivery $1 answered: status $2 (NULL: nothing), text $3; and whether it has taken the event,
-- $4.
UPDATE public.webhook_deliveries d
SET answer_status = $2::smallint, answer_body = $3, answered_at = CASE WHEN $2 IS NOT NULL THEN now() END,
    delivered_at = CASE WHEN $4::boolean THEN coalesce(d.delivered_at, now()) ELSE d.delivered_at END
WHERE d.id = $1::uuid
