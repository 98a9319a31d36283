#!lua
-- Deals a race if it is not dealt yet, and says what is there (docs/architecture.md, rule 7). It starts as asked; the
-- countdown begins anew where that is too near, or farther ahead than the countdown as the clock of a store fell back.
--
-- KEYS: race, clocks.
-- ARGV: 1 race's id   2 state   3 meta   4 starts_at asked for   5 countdown (ms)   6 clock (ms, 0 for none)
--       7 entry of the deadline   8 channel of races
-- Answers: starts_at, deadline, ended_at, meta, the store's time.
local SOONEST_MS = 500

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function text(number)
  return string.format('%.0f', number)
end

local is = redis.call('HMGET', KEYS[1], 'at', 'dl', 'ea', 'meta')
if is[1] then
  return {tonumber(is[1]), tonumber(is[2]), tonumber(is[3]), is[4], now}
end
redis.call('ZCARD', KEYS[2])

local starts_at, counted = tonumber(ARGV[4]), now + tonumber(ARGV[5])
if starts_at < now + SOONEST_MS or starts_at > counted then starts_at = counted end
local clock, deadline = tonumber(ARGV[6]), 0
if clock > 0 then
  deadline = starts_at + clock
  redis.call('ZADD', KEYS[2], text(deadline), ARGV[7])
end
redis.call('HSET', KEYS[1], 'v', '1', 's', ARGV[2], 'at', text(starts_at), 'dl', text(deadline), 'ea', '0',
  'last', text(now), 'meta', ARGV[3])
redis.pcall('SPUBLISH', ARGV[8], ARGV[1] .. ' 1')
return {starts_at, deadline, 0, ARGV[3], now}
