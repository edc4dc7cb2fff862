-- Removes plans, blocks and replicas that are over.
SELECT rowrunner_limits.clean_up()
