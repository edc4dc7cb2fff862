-- Whether the delivery was queued again, and its status before (NULL: there is none).
SELECT d.status, public.send_webhook_again(d.id) FROM public.webhook_deliveries d WHERE d.id = $1::uuid
