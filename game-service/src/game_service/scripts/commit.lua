#!lua
-- Commits races: a batch, at most one commit a race, each judged and answered alone (docs/architecture.md, rules 1,
-- 3 and 12). Lua rolls nothing back, so every check of a commit stands before its first write.
--
-- KEYS, four a commit: race, log, clocks, leases.
-- ARGV, fifteen a commit:
--   1 race's id         2 version it was judged on     3 `last` it was judged on   4 new state    5 log entries
--   6 not before (ms, 0 for any time)                  7 before (ms, 0 for any time)
--   8 how it ends: 0 not, 1 now, 2 at the deadline     9 entry to settle           10 entry of its deadline
--   11 lease to check, or empty                        12 the `until` it had       13 grace in ms
--   14 channel of races                                15 channel of tables
-- Answers three numbers a commit, outcome, version and the race's time, and behind them the store's own time.
local DONE, CONFLICT, EARLY, LATE, LAPSED, UNKNOWN, CONNECTED, GRACE, FAILED = 0, 1, 2, 3, 4, 5, 6, 7, 8
local KEYS_EACH, ARGS_EACH = 4, 15
local MOST_MS = 2147483647

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

local function commit(k, a)
  local race, log, clocks = KEYS[k + 1], KEYS[k + 2], KEYS[k + 3]
  local entries, ends = ARGV[a + 5], ARGV[a + 8]
  local is = redis.call('HMGET', race, 'v', 'last', 'at', 'dl', 'ea')
  if not is[1] then return UNKNOWN, 0, clock end
  local version, last, at, deadline = tonumber(is[1]), tonumber(is[2]), tonumber(is[3]), tonumber(is[4])
  local now = math.max(clock, last)
  if version ~= tonumber(ARGV[a + 2]) or last ~= tonumber(ARGV[a + 3]) or is[5] ~= '0' then
    return CONFLICT, version, now
  end
  if ends == '2' then
    if deadline == 0 or now < deadline then return EARLY, version, now end
  elseif deadline > 0 and now >= deadline then
    return LATE, version, now
  end
  if now < tonumber(ARGV[a + 6]) then return EARLY, version, now end
  local before = tonumber(ARGV[a + 7])
  if before > 0 and now >= before then return LAPSED, version, now end
  if ARGV[a + 11] ~= '' then
    local outcome = lease_outcome(KEYS[k + 4], ARGV[a + 11], tonumber(ARGV[a + 12]), tonumber(ARGV[a + 13]), now)
    if outcome ~= DONE then return outcome, version, now end
  end
  redis.call('STRLEN', log)
  redis.call('ZCARD', clocks)

  local stamp = now
  if ends == '2' then stamp = deadline end
  version = version + 1
  if entries ~= '' then
    redis.call('APPEND', log, struct.pack('<i4B', math.min(stamp - at, MOST_MS), #entries) .. entries)
  end
  if ends == '0' then
    redis.call('HSET', race, 'v', text(version), 'last', text(now), 's', ARGV[a + 4])
  else
    redis.call('HSET', race, 'v', text(version), 'last', text(now), 's', ARGV[a + 4], 'ea', text(stamp))
    redis.call('ZREM', clocks, ARGV[a + 10])
    redis.call('ZADD', clocks, text(now), ARGV[a + 9])
  end
  return DONE, version, now
end

local answers, news = {}, {}
for number = 0, #KEYS / KEYS_EACH - 1 do
  local a = number * ARGS_EACH
  local ran, outcome, version, now = pcall(commit, number * KEYS_EACH, a)
  if not ran then outcome, version, now = FAILED, 0, clock end
  answers[#answers + 1] = outcome
  answers[#answers + 1] = version
  answers[#answers + 1] = now
  if outcome == DONE then
    local races, line = ARGV[a + 14], ARGV[a + 1] .. ' ' .. text(version)
    news[races] = news[races] and news[races] .. '\n' .. line or line
    if ARGV[a + 8] ~= '0' then news[ARGV[a + 15]] = '!' end
  end
end
for channel, lines in pairs(news) do
  redis.pcall('SPUBLISH', channel, lines)
end
answers[#answers + 1] = clock
return answers
