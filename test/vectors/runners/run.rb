require_relative "verify"

$stdin.each_line(chomp: true) do |line|
  secret, header, body, now = line.split("\t")
  puts verify(secret, header.unpack1("m"), body.unpack1("m"), now.to_i)
end
