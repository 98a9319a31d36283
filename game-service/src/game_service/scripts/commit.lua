#!lua
-- Commits races: a batch, at most one commit a race, each judged and answered alone (docs/architecture.md, rules 1,
-- 3 and 12). Lua rolls nothing back, so every check of a commit stands before its first write.
--
-- KEYS: race and log of each commit; behind them clocks and leases of each commit that needs them.
-- ARGV: 1 how many commits   2 channel of races   then one packed argument a commit, little-endian:
--         u32 version it was judged on, f64 `last` it was judged on, f64 not before and f64 before (ms, 0 for any time),
--         u8 how it ends (0 not, 1 now, 2 at the deadline), u16 which of the commits with more it is (0 none),
--         u16 size of the new state; new state; log entries
--       then, of each commit with more, six: entry to settle, entry of its deadline, channel of tables,
--         lease to check or empty, the `until` it had, grace in ms
-- Answers the store's own time, and for each commit 0 where it is done, which makes its version one more and its time
-- the later of the store's and `last`; else outcome, version and the race's time.
local DONE, CONFLICT, EARLY, LATE, LAPSED, UNKNOWN, CONNECTED, GRACE, FAILED = 0, 1, 2, 3, 4, 5, 6, 7, 8
local MOST_MS = 2147483647
local count, races = tonumber(ARGV[1]), ARGV[2]
local FIXED = 2
local ID = #'{b00}:race:' + 1

local time = redis.call('TIME')
local clock = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function text(number)
  return string.format('%.0f', number)
end

local function lease_outcome(leases, member, seen, grace, now)
  local till = tonumber(redis.call('ZSCORE', leases, member) or '0')
  if now < till then return CONNECTED end
  if now < till + grace then return GRACE end
  if till ~= seen then return CONNECTED end
  return DONE
end

local function commit(number)
  local race, packed = KEYS[2 * number - 1], ARGV[FIXED + number]
  local base, seen, not_before, before, ends, more, size, start = struct.unpack('<I4dddBI2I2', packed)
  local k, a = 2 * (count + more) - 1, FIXED + count + 6 * more - 5
  local is = redis.call('HMGET', race, 'v', 'last', 'at', 'dl', 'ea')
  local version, last, at, deadline = tonumber(is[1] or ''), tonumber(is[2]), tonumber(is[3]), tonumber(is[4])
  -- None there, or no number: an answer with nil in it would end there, and spoil those of the whole batch.
  if not version then return UNKNOWN, 0, clock end
  local now = math.max(clock, last)
  if version ~= base or last ~= seen or is[5] ~= '0' then return CONFLICT, version, now end
  if ends == 2 then
    if deadline == 0 or now < deadline then return EARLY, version, now end
  elseif deadline > 0 and now >= deadline then
    return LATE, version, now
  end
  if now < not_before then return EARLY, version, now end
  if before > 0 and now >= before then return LAPSED, version, now end
  if more > 0 then
    if ARGV[a + 3] ~= '' then
      local outcome = lease_outcome(KEYS[k + 1], ARGV[a + 3], tonumber(ARGV[a + 4]), tonumber(ARGV[a + 5]), now)
      if outcome ~= DONE then return outcome, version, now end
    end
    redis.call('ZCARD', KEYS[k])
  end

  local stamp = now
  if ends == 2 then stamp = deadline end
  local entries = string.sub(packed, start + size)
  if entries ~= '' then
    -- The first write, which checks that the log is one.
    redis.call(
      'APPEND', KEYS[2 * number], struct.pack('<i4B', math.min(stamp - at, MOST_MS), #entries) .. entries
    )
  end
  local state = string.sub(packed, start, start + size - 1)
  if ends == 0 then
    redis.call('HSET', race, 'v', text(version + 1), 'last', text(now), 's', state)
  else
    redis.call('HSET', race, 'v', text(version + 1), 'last', text(now), 's', state, 'ea', text(stamp))
    redis.call('ZREM', KEYS[k], ARGV[a + 1])
    redis.call('ZADD', KEYS[k], text(now), ARGV[a])
    redis.pcall('SPUBLISH', ARGV[a + 2], '!')
  end
  return DONE, version + 1, now
end

local answers, news = { clock }, {}
for number = 1, count do
  local ran, outcome, version, now = pcall(commit, number)
  if not ran then outcome, version, now = FAILED, 0, clock end
  if outcome == DONE then
    answers[number + 1] = DONE
    news[#news + 1] = string.sub(KEYS[2 * number - 1], ID) .. ' ' .. text(version)
  else
    answers[number + 1] = { outcome, version, now }
  end
end
if #news > 0 then redis.pcall('SPUBLISH', races, table.concat(news, '\n')) end
return answers
