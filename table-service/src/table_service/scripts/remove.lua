#!lua
-- Removes a table with its races, where nothing has changed since it was judged and nobody visited it meanwhile
-- (docs/architecture.md, rule 1).
--
-- KEYS: 1 table   2 leases   3 clocks   4 watchers   then a race and its log for each race.
-- ARGV: 1 version it was judged on   2 channel   3 table's id   4 its expire entry   5 ms the entry is due by at most
--       then the members to take off leases and clocks alike.
-- Answers: 1 or 0.
if tonumber(redis.call('HGET', KEYS[1], 'v') or '0') ~= tonumber(ARGV[1]) then return 0 end
local due = redis.call('ZSCORE', KEYS[3], ARGV[4])
if due and tonumber(due) > tonumber(ARGV[5]) then return 0 end
for at = 6, #ARGV do
  redis.call('ZREM', KEYS[2], ARGV[at])
  redis.call('ZREM', KEYS[3], ARGV[at])
end
redis.call('DEL', KEYS[1], KEYS[4])
for at = 5, #KEYS do redis.call('DEL', KEYS[at]) end
redis.pcall('SPUBLISH', ARGV[2], ARGV[3] .. ' 0')
return 1
