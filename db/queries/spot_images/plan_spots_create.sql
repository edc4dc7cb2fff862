-- The places of plan $1 in their order: names $2, areas $3, descriptions $4, addresses of pictures
-- $5. A place that comes with a picture needs none.
INSERT INTO public.spots (plan_id, spot_name, position, area, description, image_url, image_status)
SELECT $1, name, position, area, description, url,
       CASE WHEN url IS NULL THEN 'not_started' ELSE 'succeeded' END
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
  AS given (name, area, description, url, position)
ORDER BY name
