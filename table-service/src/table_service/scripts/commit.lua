#!lua
-- Commits a table: compares the version, and the leases it was judged by (which are renewed without one), then writes
-- record, leases and clocks, and tells the news (docs/architecture.md, rules 1 and 10). Every check stands before the
-- first write.
--
-- KEYS: 1 table   2 leases   3 clocks   4 streams
-- ARGV: 1 version it was judged on, 0 for a table that is not there yet   2 new record   3 table's id   4 channel
--       5 JSON: {"seen": [[member, until or 0] ...], "lease": [[member, until] ...], "unlease": [member ...],
--         "due": [[entry, ms] ...], "done": [entry ...]}
--       6 gateway the change comes from, or empty   7 number of the stream it came over
-- Answers: 1, or 0 for another version or lease, or 2 for a gateway that has a newer stream; the version that is there
--          now, the store's time in ms.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local version = tonumber(redis.call('HGET', KEYS[1], 'v') or '0')
if ARGV[6] ~= '' and tonumber(redis.call('ZSCORE', KEYS[4], ARGV[6]) or '0') > tonumber(ARGV[7]) then
  return {2, version, now}
end
if version ~= tonumber(ARGV[1]) then return {0, version, now} end
local also = cjson.decode(ARGV[5])
for _, seen in ipairs(also.seen) do
  if tonumber(redis.call('ZSCORE', KEYS[2], seen[1]) or '0') ~= seen[2] then return {0, version, now} end
end
redis.call('ZCARD', KEYS[2])
redis.call('ZCARD', KEYS[3])

version = version + 1
redis.call('HSET', KEYS[1], 'v', version, 'r', ARGV[2])
for _, set in ipairs(also.lease) do redis.call('ZADD', KEYS[2], string.format('%.0f', set[2]), set[1]) end
for _, member in ipairs(also.unlease) do redis.call('ZREM', KEYS[2], member) end
for _, set in ipairs(also.due) do redis.call('ZADD', KEYS[3], string.format('%.0f', set[2]), set[1]) end
for _, entry in ipairs(also.done) do redis.call('ZREM', KEYS[3], entry) end
redis.pcall('SPUBLISH', ARGV[4], ARGV[3] .. ' ' .. version)
return {1, version, now}
