SELECT t.token FROM public.webhook_tokens t WHERE t.delivery = $1::uuid
