#!lua
-- Adds up what askers have spent of their limits at all gateways. A limit is a bucket that fills by one in `each`; all
-- that is kept is when it is full again. Of a limit on sockets it is kept how many each gateway has open.
--
-- KEYS: a limit each.
-- ARGV: 1 the gateway that tells   2 ms for which its open sockets count
--       then four for each limit: us one takes to come back, 0 for one on sockets; how many may be asked for at once;
--       how many were; how many sockets are open.
-- Answers: for each limit {us until it is full again, sockets that are open at other gateways}.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local gateway, lives_ms = ARGV[1], tonumber(ARGV[2])

local function add_spent(key, each, burst, spent)
  local full = math.max(now, tonumber(redis.call('GET', key) or '0')) + spent * each
  -- Who was let ask at many gateways at once owes for it, but not for ever.
  full = math.min(full, now + 2 * burst * each)
  redis.call('SET', key, string.format('%.0f', full), 'PX', math.floor((full - now) / 1000) + 1)
  return {full - now, 0}
end

local function add_open(key, open)
  local told, elsewhere = cjson.decode(redis.call('GET', key) or '{}'), 0
  for other, count in pairs(told) do
    -- One that counts for longer than any may was told before the store's clock went back.
    if count[2] <= now or count[2] > now + lives_ms * 1000 then told[other] = nil elseif other ~= gateway then elsewhere = elsewhere + count[1] end
  end
  told[gateway] = {open, now + lives_ms * 1000}
  redis.call('SET', key, cjson.encode(told), 'PX', lives_ms)
  return {0, elsewhere}
end

local answer = {}
for at, key in ipairs(KEYS) do
  local each, burst = tonumber(ARGV[4 * at - 1]), tonumber(ARGV[4 * at])
  local spent, open = tonumber(ARGV[4 * at + 1]), tonumber(ARGV[4 * at + 2])
  answer[at] = each > 0 and add_spent(key, each, burst, spent) or add_open(key, open)
end
return answer
