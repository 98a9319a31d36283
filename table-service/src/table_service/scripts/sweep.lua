#!lua
-- Sweeps buckets: makes good an outage of ours, and hands out what is due (docs/architecture.md, rules 3 and 10).
--
-- An entry handed out is due again a little later, until whoever handled it takes it off: so none is lost with a
-- replica that died, and two replicas seldom do the same.
--
-- KEYS, five a bucket: sweep, clocks, leases, gateways, streams.
-- ARGV: 1 ms without a sweep that count as an outage   2 ms until an entry is due again   3 most entries a bucket
--       4 ms a gateway counts as there after it was heard   5 ms after which a gateway that is gone is forgotten
-- Answers: the store's time, then for each bucket {ms the leases were moved, next due ms or -1, entry, its due ms ...},
--          or what is wrong with it, which keeps no other from being swept.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local outage, again, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local lives, forgotten = tonumber(ARGV[4]), tonumber(ARGV[5])

local function text(number)
  return string.format('%.0f', number)
end

local function forget(gateways, streams)
  local gone = redis.call('ZRANGE', gateways, '-inf', text(now - forgotten), 'BYSCORE', 'LIMIT', 0, 64)
  for _, gateway in ipairs(gone) do
    redis.call('ZREM', gateways, gateway)
    redis.call('ZREM', streams, gateway)
  end
end

local function outage_of(sweep, gateways, streams)
  local last = tonumber(redis.call('GET', sweep) or text(now))
  if now - last > outage then return now - last end
  local latest = redis.call('ZRANGE', gateways, -1, -1, 'WITHSCORES')
  if not latest[2] then return 0 end
  local till = tonumber(latest[2])
  if now <= till then
    forget(gateways, streams)
    return 0
  end
  -- The first sweep that finds the last gateway gone makes good the time it was believed to be there, too.
  if last <= till then return now - till + lives end
  return now - last
end

local function sweep_bucket(k)
  local sweep, clocks, leases = KEYS[k + 1], KEYS[k + 2], KEYS[k + 3]
  local moved = outage_of(sweep, KEYS[k + 4], KEYS[k + 5])
  redis.call('SET', sweep, text(now))
  if moved > 0 then
    local all = redis.call('ZRANGE', leases, 0, -1, 'WITHSCORES')
    for at = 1, #all, 2 do redis.call('ZADD', leases, text(tonumber(all[at + 1]) + moved), all[at]) end
    if #all == 0 then moved = 0 end
  end
  local answer = {moved, -1}
  if most > 0 then
    local due = redis.call('ZRANGE', clocks, '-inf', text(now), 'BYSCORE', 'LIMIT', 0, most, 'WITHSCORES')
    for at = 1, #due, 2 do
      redis.call('ZADD', clocks, text(now + again), due[at])
      answer[#answer + 1] = due[at]
      answer[#answer + 1] = tonumber(due[at + 1])
    end
  end
  local next_due = redis.call('ZRANGE', clocks, 0, 0, 'WITHSCORES')
  if next_due[2] then answer[2] = tonumber(next_due[2]) end
  return answer
end

local answers = {now}
for number = 0, #KEYS / 5 - 1 do
  local ran, answer = pcall(sweep_bucket, number * 5)
  if not ran then answer = type(answer) == 'table' and answer.err or tostring(answer) end
  answers[#answers + 1] = answer
end
return answers
