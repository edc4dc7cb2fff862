-- An effect: the spot $2 of plan $1 has its picture at $3. Runs in the transaction that ends the job,
-- whose trigger sets image_status.
UPDATE public.spots SET image_url = $3, updated_at = now() WHERE plan_id = $1 AND spot_name = $2
