-- Page $2 of job $1 was read: $3 no order, $4 text, $5 meta, $6 payload of its delivery, $7 deliveries in order.
SELECT public.ocr_relay_page_read($1::uuid, $2::integer, $3::boolean, $4, $5::json, $6::json, $7::boolean)
