-- Once per connection that waits for wake-ups.
LISTEN rowrunner
