#!lua
-- Commits a verdict again over the lower version that a store fell back to (docs/architecture.md, rule 6): only where
-- the race is the same and its table is still there.
--
-- KEYS: race, log, clocks, table.
-- ARGV: 1 race's id   2 version found   3 `last` found   4 meta   5 version held   6 `last` held   7 state   8 ended_at
--       9 log   10 entry to settle   11 channel of races   12 channel of tables   13 entry of its deadline
-- Answers 1 where it is restored, else 0.
local is = redis.call('HMGET', KEYS[1], 'v', 'last', 'ea', 'meta')
if is[1] ~= ARGV[2] or is[2] ~= ARGV[3] or is[3] ~= '0' or is[4] ~= ARGV[4] then return 0 end
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
redis.call('STRLEN', KEYS[2])
redis.call('ZCARD', KEYS[3])

redis.call('SET', KEYS[2], ARGV[9])
redis.call('HSET', KEYS[1], 'v', ARGV[5], 'last', ARGV[6], 's', ARGV[7], 'ea', ARGV[8])
redis.call('ZREM', KEYS[3], ARGV[13])
redis.call('ZADD', KEYS[3], ARGV[6], ARGV[10])
redis.pcall('SPUBLISH', ARGV[11], ARGV[1] .. ' ' .. ARGV[5])
redis.pcall('SPUBLISH', ARGV[12], '!')
return 1
