// Templates, containers, closures and a regular expression: deep inline chains, in code that is local to the unit
// (everything that depends on item<N>) and in code that units share.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

template <int N> struct item {
	int key;
	std::string text;
	bool operator<(const item &o) const { return key != o.key ? key < o.key : text < o.text; }
	bool operator==(const item &o) const { return key == o.key && text == o.text; }
};

template <int N> struct hash {
	size_t operator()(const item<N> &i) const { return std::hash<std::string>()(i.text) + N * i.key; }
};

template <int N> long work(int n)
{
	std::vector<item<N>> v;
	std::map<item<N>, std::vector<item<N>>> tree;
	std::unordered_map<item<N>, std::set<item<N>>, hash<N>> table;
	for (int i = 0; i < n; i++) {
		v.push_back({i * N, std::to_string(i)});
		tree[v.back()].push_back(v.front());
		table[v.back()].insert(v.front());
	}
	std::sort(v.begin(), v.end(), [](const item<N> &a, const item<N> &b) { return b < a; });
	std::stable_sort(v.begin(), v.end());
	v.erase(std::unique(v.begin(), v.end()), v.end());
	std::function<long(long, const item<N> &)> add = [n](long s, const item<N> &i) { return s + i.key * n; };
	auto shared = std::make_shared<std::vector<item<N>>>(v);
	long sum = std::accumulate(shared->begin(), shared->end(), 0L, add);
	std::ostringstream out;
	for (auto &p : tree)
		out << p.first.text << p.second.size();
	if (std::regex_search(out.str(), std::regex("a+[b-d]*|x")))
		sum++;
	return sum + (long)table.size();
}

} // namespace

long unit()
{
	return work<1>(1) + work<2>(2) + work<3>(3) + work<4>(4) + work<5>(5) + work<6>(6);
}
