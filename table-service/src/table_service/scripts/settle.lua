#!lua
-- Takes an entry off the clocks, or has it fall due later, where it is still as the sweep handed it out: an entry that
-- a commit has set anew meanwhile stays as that says.
--
-- KEYS: 1 clocks.   ARGV: 1 entry   2 ms it was made due again when handed out   3 ms it is due next, or empty for never
-- Answers: 1 or 0.
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not due or tonumber(due) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
return 1
